const namespace = "http://www.w3.org/2000/svg";

/** Outlines on a grid of 24, each a list of paths. */
const paths = {
  add: ["M12 5v14", "M5 12h14"],
  back: ["M15 5l-7 7 7 7"],
  bolt: ["M13 3L5 13.5h6L10 21l8-10.5h-6z"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  clock: ["M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z", "M12 7.5V12l3 2"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  code: ["M8.5 7L3.5 12l5 5", "M15.5 7l5 5-5 5"],
  copy: ["M9 9h10v11H9z", "M5 15V4h10"],
  document: ["M6 3.5h8l4 4v13H6z", "M14 3.5v4h4"],
  heart: ["M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.4 4.2 4.2 0 0 1 19.500 10c0 5.400-7.500 10-7.500 10z"],
  more: ["M5.500 12h.01", "M12 12h.01", "M18.500 12h.01"],
  pin: [
    "M12 21s6.500-5.700 6.500-11a6.500 6.500 0 1 0-13 0c0 5.300 6.500 11 6.500 11z",
    "M12 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  ],
  play: ["M8 5.500v13l11-6.500z"],
  send: ["M4 12l16-8-5 16-3.500-6.500z", "M11.500 13.500L20 4"],
  smile: [
    "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17z",
    "M8.500 14.500c1.800 2.200 5.200 2.200 7 0",
    "M9 10h.01",
    "M15 10h.01",
  ],
  thumb: [
    "M3.500 11h3.500v9H3.500z",
    "M9 20v-8.600l3.600-8c1.500 0 2.600 1 2.600 2.500V9.500h4a2 2 0 0 1 2 2.300l-1 6.200a2.300 2.300 0 0 1-2.300 2z",
  ],
  warning: ["M12 4l9 16H3z", "M12 10v4.500", "M12 17.500h.01"],
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon in the color of the text. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon icon-${name}`);
  for (const outline of paths[name]) {
    const path = document.createElementNS(namespace, "path");
    path.setAttribute("d", outline);
    svg.append(path);
  }
  return svg;
}
