let audio: AudioContext | undefined;
let lastToneAt = Number.NEGATIVE_INFINITY;

/** A short tone, at most one in two seconds. */
export function playTone(): void {
  const now = performance.now();
  if (now - lastToneAt < 2_000) return;
  lastToneAt = now;
  audio ??= new AudioContext();
  // A browser suspends the sound of a page in which nothing was pressed yet.
  if (audio.state === "suspended") void audio.resume();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  const start = audio.currentTime;
  tone.frequency.setValueAtTime(660, start);
  tone.frequency.setValueAtTime(880, start + 0.09);
  volume.gain.setValueAtTime(0.08, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.28);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + 0.3);
}
