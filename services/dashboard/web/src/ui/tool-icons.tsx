import { icon } from './icons.tsx';

/* Of the tools beside an answer. */
export const MessageIcon = icon(<path d="M3 4h14v9H9l-4 3v-3H3Z" />);
export const CommentIcon = icon(<path d="M4 16l1-4 8-8 3 3-8 8-4 1Z" />);
export const AttachIcon = icon(
  <path d="m15 9-5.5 5.5a3 3 0 0 1-4-4L11 5a2 2 0 0 1 3 3l-5.5 5.5a1 1 0 0 1-1.5-1.5L12 7" />,
);
export const CameraIcon = icon(
  <>
    <path d="M3 6.5h3.5L8 4.5h4l1.5 2H17v9H3Z" />
    <circle cx="10" cy="10.5" r="2.5" />
  </>,
);
export const RepliesIcon = icon(<path d="M5 3h10v14l-5-4-5 4Z" />);
export const PreviewIcon = icon(
  <>
    <path d="M2 10c2-4 5-5 8-5s6 1 8 5c-2 4-5 5-8 5s-6-1-8-5Z" />
    <circle cx="10" cy="10" r="2" />
  </>,
);
export const FormIcon = icon(<path d="M4 3h12v14H4ZM7 7h6M7 10h6M7 13h3" />);
export const TogetherIcon = icon(<path d="M3 6h10v10H3ZM7 6V3h10v10h-4M5.5 11l2 2 3.5-4" />);
