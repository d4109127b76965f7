import { memo } from "react";
import { barHeights, type DeliveryHour } from "./hours.ts";
import { hoursLine } from "./texts.ts";
import "./hours.css";

/** The share of a bar's place that stays free beside it. */
const GAP = 0.3;

/** The deliveries of an endpoint as a bar for each hour: what failed stands on what was delivered. */
export const HourBars = memo(function HourBars({ hours }: { hours: readonly DeliveryHour[] }) {
  const place = 100 / Math.max(1, hours.length);
  return (
    <svg className="hour-bars" role="img" aria-label={hoursLine(hours)}>
      {barHeights(hours).map(({ delivered, undelivered }, index) => {
        const sizes = { x: `${place * index}%`, width: `${place * (1 - GAP)}%` };
        return (
          <g key={hours[index]?.startsAt}>
            <rect className="none" {...sizes} y="96%" height="4%" />
            {delivered > 0 ? (
              <rect className="good" {...sizes} y={`${100 - delivered}%`} height={`${delivered}%`} rx="1.5" />
            ) : null}
            {undelivered > 0 ? (
              <rect
                className="bad"
                {...sizes}
                y={`${100 - delivered - undelivered}%`}
                height={`${undelivered}%`}
                rx="1.5"
              />
            ) : null}
          </g>
        );
      })}
    </svg>
  );
});
