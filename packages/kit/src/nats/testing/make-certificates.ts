import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificates {
  readonly ca: string;
  readonly server: { cert: string; key: string };
  readonly client: { cert: string; key: string };
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority, and certificates for a server on the loopback address and for a client. */
export function makeCertificates(folder: string): Certificates {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const authority = ['-keyout', file('ca.key'), '-out', file('ca.pem'), '-subj', '/CN=authority'];
  openssl('req', '-x509', ...newKey, ...authority, '-days', '1');

  function sign(name: string) {
    const [cert, key, request] = [file(`${name}.pem`), file(`${name}.key`), file(`${name}.csr`)];
    writeFileSync(file(`${name}.ext`), 'subjectAltName=IP:127.0.0.1');
    openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
    const by = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      request,
      ...by,
      '-out',
      cert,
      '-days',
      '1',
      '-extfile',
      file(`${name}.ext`),
    );
    return { cert, key };
  }
  return { ca: file('ca.pem'), server: sign('server'), client: sign('client') };
}
