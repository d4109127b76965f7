// Simple signs for the two platforms. Lucide has no brands.

export function Instagram() {
  return (
    <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
      <rect x="2" y="2" width="12" height="12" rx="4" />
      <circle cx="8" cy="8" r="2.8" />
    </svg>
  );
}

export function Messenger() {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M8 2c-3.6 0-6.3 2.6-6.3 5.9 0 1.9.9 3.5 2.3 4.6v2l2-1.1c.6.2 1.3.3 2 .3 3.6 0 6.3-2.6 6.3-5.8S11.6 2 8 2z" />
    </svg>
  );
}
