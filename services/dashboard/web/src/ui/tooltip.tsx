import { Tooltip as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './tooltip.module.css';

interface TooltipProps {
  readonly text: string;
  readonly side?: 'top' | 'right';
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
  /** One element that takes the focus. */
  readonly children: ReactNode;
}

/** A short text about its child, on hover and focus. */
export function Tooltip({ text, side = 'top', isOpen, onOpenChange, children }: TooltipProps) {
  return (
    // Each tooltip has a provider, since one around all pages would be part of the first load.
    <Radix.Provider delayDuration={300}>
      <Radix.Root {...(isOpen !== undefined && { open: isOpen })} {...(onOpenChange && { onOpenChange })}>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content className={styles.tooltip} side={side} sideOffset={6} collisionPadding={8}>
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
