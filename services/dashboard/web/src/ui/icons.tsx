import type { ReactNode } from 'react';

/* Drawn on a grid of 20 with lines of 1.5. They have no text: use them beside words or in a button with a label. */

export const icon = (children: ReactNode) => () => (
  <svg
    width="20"
    height="20"
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {children}
  </svg>
);

export const InboxIcon = icon(
  <>
    <path d="M3 11.5 5 4h10l2 7.5V16H3v-4.5Z" />
    <path d="M3 11.5h4a3 3 0 0 0 6 0h4" />
  </>,
);
export const KeysIcon = icon(
  <>
    <circle cx="7" cy="13" r="3.5" />
    <path d="m9.5 10.5 6.5-6.5M13 7l2.5 2.5" />
  </>,
);
export const SettingsIcon = icon(
  <>
    <path d="M3 6h7M14 6h3M3 14h3M10 14h7" />
    <circle cx="12" cy="6" r="2" />
    <circle cx="8" cy="14" r="2" />
  </>,
);
export const SignOutIcon = icon(<path d="M8 3H4v14h4M8 10h9m-3-3 3 3-3 3" />);
export const BackIcon = icon(<path d="M12 4 6 10l6 6" />);
export const LockIcon = icon(
  <>
    <rect x="4.5" y="9" width="11" height="7.5" rx="1.5" />
    <path d="M7 9V6.5a3 3 0 0 1 6 0V9" />
  </>,
);
export const MoreIcon = icon(
  <>
    <circle cx="4" cy="10" r="1" />
    <circle cx="10" cy="10" r="1" />
    <circle cx="16" cy="10" r="1" />
  </>,
);
