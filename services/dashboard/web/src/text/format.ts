export { layOut } from './lay-out.ts';
export { TextBlocks } from './text-blocks.tsx';
