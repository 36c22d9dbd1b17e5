import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../../scripts/local/with-run.ts';
import { unpackPackages } from '../../scripts/servers/sources/debian.ts';
import type { Usage } from '../programs/answer-commands.ts';
import { readProcessTree } from './process-usage.ts';
import type { BenchProcess } from './processes.ts';

/** nginx + nchan with one worker, as a baseline for the hub: `POST /publish` and `GET /listen`, each with `?topic=`. */
export async function startNchan({ home, ports, supervisor }: Run): Promise<BenchProcess> {
  const { program, module, env } = await findNchan(home.cache);
  const port = await ports.choose('nchan');
  const folder = home.file('nchan');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  const pidFile = join(folder, 'pid');
  writeFileSync(file, configure({ module, port, folder, pidFile }));
  await supervisor.start({
    name: 'nchan',
    tier: 1,
    command: program,
    args: ['-p', folder, '-c', file, '-e', 'stderr'],
    env: { ...process.env, ...env },
    cwd: folder,
    logFile: home.log('nchan'),
    stopSignal: 'SIGTERM',
    notReady: () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => undefined,
        (error: Error) => error.message,
      ),
  });
  return {
    name: 'nginx + nchan',
    port,
    usage: async () => usageOf(Number(readFileSync(pidFile, 'utf8'))),
    call: () => Promise.reject(new Error('nginx takes no commands')),
  };
}

/** Of nginx and its workers. */
function usageOf(pid: number): Usage {
  const processes = readProcessTree(pid);
  return {
    cpu: processes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds * 1e6, 0),
    rss: processes.reduce((sum, { rss }) => sum + rss, 0),
    heap: 0,
  };
}

function configure(options: { module: string; port: number; folder: string; pidFile: string }): string {
  const { module, port, folder, pidFile } = options;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
load_module ${module};
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${pidFile};
events { worker_connections 19000; }
http {
  access_log off;
  keepalive_requests 1000000;
  keepalive_timeout 1h;
  ${temporary.join(' ')}
  nchan_shared_memory_size 128M;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /publish { nchan_publisher; nchan_channel_id $arg_topic; }
    location = /listen {
      nchan_subscriber eventsource;
      nchan_channel_id $arg_topic;
      nchan_subscriber_first_message newest;
      nchan_eventsource_ping_interval 15;
    }
  }
}
`;
}

/** nginx, and its module nchan. */
interface NchanProgram {
  readonly program: string;
  readonly module: string;
  readonly env?: NodeJS.ProcessEnv;
}

const debianPackage = 'libnginx-mod-nchan';

/** As installed on this machine; else from Debian's packages, which are unpacked. */
async function findNchan(cache: string): Promise<NchanProgram> {
  const installed = inFolder('/');
  if (installed) return installed;
  const { folder, env } = await unpackPackages(debianPackage, cache);
  const unpacked = inFolder(folder);
  if (unpacked) return { ...unpacked, env };
  throw new Error(`the package ${debianPackage} contains no nginx with nchan`);
}

function inFolder(folder: string): NchanProgram | undefined {
  const program = join(folder, 'usr/sbin/nginx');
  const module = join(folder, 'usr/lib/nginx/modules/ngx_nchan_module.so');
  return existsSync(program) && existsSync(module) ? { program, module } : undefined;
}
