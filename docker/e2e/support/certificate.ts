import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

/** Writes `tls.crt` and `tls.key` for `*.services.example` into a folder; `mode` is that of the key. Without days it has expired. */
export const createCertificate = (folder: string, mode: number, days = 2): void => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const names = ['-subj', '/CN=three-services', '-addext', 'subjectAltName=DNS:*.services.example'];
  const [keyFile, file] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  const input = execFileSync('openssl', ['req', ...key, ...names, '-keyout', keyFile], { stdio: 'pipe' });
  const signed = ['-signkey', keyFile, '-copy_extensions', 'copy', '-days', String(days), '-out', file];
  execFileSync('openssl', ['x509', '-req', ...signed], { input, stdio: 'pipe' });
  chmodSync(join(folder, 'tls.key'), mode);
};
