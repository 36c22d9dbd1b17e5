import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Router } from 'wouter';
import type { Block } from '../text/blocks.ts';
import { TextBlocks } from '../text/text-blocks.tsx';

const characters: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#x27;': "'",
};

/** The text that elements show, in their order, without labels that the page adds. */
export const shownText = (elements: ReactNode): string =>
  renderToStaticMarkup(<Router ssrPath="/">{elements}</Router>)
    .replaceAll(/<button.*?<\/button>|<span[^>]*class="visually-hidden".*?<\/span>|<[^>]*>/gs, '')
    .replaceAll(/&(?:lt|gt|amp|quot|#x27);/g, (name) => characters[name] ?? name);

export const shownBlocks = (blocks: readonly Block[]): string => shownText(<TextBlocks blocks={blocks} />);
