import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { locale } from './locale.ts';
import styles from './time.module.css';

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' });

/** How long the pointer rests on the time before the tooltip opens, and may be beside it before it closes. */
const hoverMs = 300;
const marginPx = 8;
const halfWidthPx = 160;

/** A button around a short time, which shows the exact time and UTC on hover, focus or tap. */
export function ExactTime({ time, children }: { time: number; children: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [place, setPlace] = useState<DOMRect>();
  const id = useId();

  const change = (isOpen: boolean) => {
    clearTimeout(timer.current);
    setPlace(isOpen ? button.current?.getBoundingClientRect() : undefined);
  };
  const changeLater = (isOpen: boolean) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => change(isOpen), hoverMs);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!place) return;
    const close = () => setPlace(undefined);
    const onKeyDown = ({ key }: KeyboardEvent) => key === 'Escape' && close();
    addEventListener('keydown', onKeyDown);
    addEventListener('scroll', close, { capture: true, passive: true });
    return () => {
      removeEventListener('keydown', onKeyDown);
      removeEventListener('scroll', close, { capture: true });
    };
  }, [place]);

  const hover = {
    onPointerEnter: () => changeLater(true),
    onPointerLeave: () => changeLater(false),
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.time}
        aria-describedby={place && id}
        {...hover}
        onFocus={() => change(true)}
        onBlur={() => change(false)}
        onClick={(event) => {
          event.preventDefault();
          change(true);
        }}
      >
        {children}
      </button>
      {place &&
        // Outside of the messages, which clip what leaves their box, and within the landmark.
        createPortal(
          <span id={id} role="tooltip" className={styles.tooltip} style={positionAt(place)} {...hover}>
            {exact.format(time)} (<bdi dir="ltr">{utcOf(time)}</bdi>)
          </span>,
          button.current?.closest('main') ?? document.body,
        )}
    </>
  );
}

/** Above the place, else below it, and within the window. */
function positionAt({ left, width, top, bottom }: DOMRect) {
  const middle = left + width / 2;
  const half = Math.min(halfWidthPx, innerWidth / 2) + marginPx;
  const isAbove = top > 64;
  return {
    left: Math.max(half, Math.min(innerWidth - half, middle)),
    ...(isAbove ? { bottom: innerHeight - top + marginPx } : { top: bottom + marginPx }),
  };
}

const utcOf = (time: number): string =>
  new Date(time)
    .toISOString()
    .replace(/\.\d+Z/, ' UTC')
    .replace('T', ' ');
