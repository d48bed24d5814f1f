import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

/** Writes `tls.crt` and `tls.key` for `*.services.example` into a folder; `mode` is that of the key. */
export const createCertificate = (folder: string, mode: number): void => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', '/CN=three-services', '-addext', 'subjectAltName=DNS:*.services.example'];
  const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')];
  execFileSync('openssl', ['req', '-x509', ...key, '-days', '2', ...names, ...files], { stdio: 'ignore' });
  chmodSync(join(folder, 'tls.key'), mode);
};
