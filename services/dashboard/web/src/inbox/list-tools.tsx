import { changePreferences, type Preferences, preferences } from '../storage/preferences.ts';
import { Button } from '../ui/button.tsx';
import { useStore } from '../ui/store.ts';
import styles from './list-tools.module.css';

interface ListToolsProps {
  /** Whether the list can be ordered by the time that is left. */
  readonly hasOrder: boolean;
  /** Whether rows are being selected: they have checkboxes. Where a pointer hovers over rows, no button is needed for that. */
  readonly isSelecting: boolean;
  readonly onSelect: (isSelecting: boolean) => void;
}

/** The order of a list, and the begin of a selection. */
export function ListTools({ hasOrder, isSelecting, onSelect }: ListToolsProps) {
  const { order } = useStore(preferences);
  return (
    <div className={styles.tools}>
      {hasOrder && (
        <select
          aria-label="Order"
          className={styles.choice}
          value={order}
          onChange={({ target }) => changePreferences({ order: target.value as Preferences['order'] })}
        >
          <option value="newest">Newest first</option>
          <option value="time-left">Least time left first</option>
        </select>
      )}
      <Button
        look="quiet"
        className={styles.select}
        aria-pressed={isSelecting}
        onClick={() => onSelect(!isSelecting)}
      >
        Select
      </Button>
    </div>
  );
}
