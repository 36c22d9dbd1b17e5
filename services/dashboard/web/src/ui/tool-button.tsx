import type { ComponentProps, ComponentType } from 'react';
import { Button } from './button.tsx';
import styles from './tool-button.module.css';

interface ToolButtonProps extends ComponentProps<typeof Button> {
  readonly icon: ComponentType;
  /** What it does. The word below the icon is a part of it. */
  readonly name: string;
  readonly word: string;
}

/** A tool beside an answer: on a narrow screen all of them have room in one row. */
export const ToolButton = ({ icon: Icon, name, word, className, ...rest }: ToolButtonProps) => (
  <Button
    {...rest}
    look="quiet"
    className={className ? `${styles.tool} ${className}` : styles.tool}
    aria-label={name}
    title={name}
  >
    <Icon />
    <span>{word}</span>
  </Button>
);
