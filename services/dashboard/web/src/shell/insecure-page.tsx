import styles from './insecure-page.module.css';
import { StartPage } from './page.tsx';

/** Shown in place of the app on pages that were loaded over http from another machine: browsers offer them no cryptography. */
export function InsecurePage() {
  return (
    <StartPage>
      <div className={styles.part}>
        <h2>Open this page over https</h2>
        <p>
          Browsers encrypt only on pages that were loaded over https, or from the same machine. This page was
          loaded from <code>{location.origin}</code>.
        </p>
        <p>Ask the people who run this relay for its https address.</p>
      </div>
      <div className={styles.part}>
        <h2>Or try it without https</h2>
        <p>
          Start the relay without <code>RELAY_PUBLIC_URL</code> and <code>RELAY_HUB_PUBLIC_URL</code>. Then
          run this on the machine with the browser:
        </p>
        <pre className={styles.command}>
          <code>ssh -L 8080:127.0.0.1:8080 -L 8090:127.0.0.1:8090 {location.hostname}</code>
        </pre>
        <p>
          While it runs, the relay is at <a href="http://127.0.0.1:8080">http://127.0.0.1:8080</a>.
        </p>
      </div>
    </StartPage>
  );
}
