import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly name: string; readonly content: ReactNode }[];
  readonly classNames: Readonly<Record<'root' | 'names' | 'tab' | 'content', string | undefined>>;
}

/** Named panels, of which one is shown. The arrow keys change it. */
export function Tabs({ label, tabs, classNames }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(0);

  function onKeyDown(event: KeyboardEvent): void {
    const { length } = tabs;
    const next = {
      ArrowRight: (shown + 1) % length,
      ArrowLeft: (shown + length - 1) % length,
      Home: 0,
      End: length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setShown(next);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  }

  return (
    <div className={classNames.root}>
      <div ref={list} role="tablist" aria-label={label} className={classNames.names} onKeyDown={onKeyDown}>
        {tabs.map(({ name }, at) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${at}`}
            aria-controls={`${id}-panel-${at}`}
            aria-selected={at === shown}
            tabIndex={at === shown ? 0 : -1}
            className={classNames.tab}
            onClick={() => setShown(at)}
          >
            {name}
          </button>
        ))}
      </div>
      {tabs.map(({ name, content }, at) => (
        <div
          key={name}
          role="tabpanel"
          id={`${id}-panel-${at}`}
          aria-labelledby={`${id}-tab-${at}`}
          hidden={at !== shown}
          className={classNames.content}
        >
          {at === shown && content}
        </div>
      ))}
    </div>
  );
}
