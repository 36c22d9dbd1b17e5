import { changePreferences, type Preferences, preferences } from '../storage/preferences.ts';
import { useStore } from '../ui/store.ts';
import styles from './list-options.module.css';

interface ListOptionsProps {
  /** Whether the list can be ordered by the time that is left. */
  readonly hasOrder: boolean;
  readonly agents: readonly string[];
  readonly agent: string;
  readonly onAgent: (agent: string) => void;
}

/** The order of a list, and the agent whose requests it shows. */
export function ListOptions({ hasOrder, agents, agent, onAgent }: ListOptionsProps) {
  const { order } = useStore(preferences);
  const hasAgents = agents.length > 1;
  if (!hasOrder && !hasAgents) return null;
  return (
    <div className={styles.options}>
      {hasOrder && (
        <select
          aria-label="Order"
          className={styles.option}
          value={order}
          onChange={({ target }) => changePreferences({ order: target.value as Preferences['order'] })}
        >
          <option value="newest">Newest first</option>
          <option value="time-left">Least time left first</option>
        </select>
      )}
      {hasAgents && (
        <select
          aria-label="Agent"
          className={styles.option}
          value={agent}
          onChange={({ target }) => onAgent(target.value)}
        >
          <option value="">All agents</option>
          {agents.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </div>
  );
}
