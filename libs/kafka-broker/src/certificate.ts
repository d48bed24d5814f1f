import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { javaTool } from './java.ts';

export interface Certificate {
  /** PKCS #12 file for the broker. */
  keystore: string;
  password: string;
  /** The self-signed certificate as PEM: what a client has to trust. */
  pem: string;
}

/** Makes a key pair and a certificate for localhost and 127.0.0.1 with the JDK's own keytool. */
export const makeCertificate = async (folder: string, id: number): Promise<Certificate> => {
  const keystore = join(folder, `keystore-${id}.p12`);
  const file = join(folder, `certificate-${id}.pem`);
  const password = 'not-secret';
  const store = ['-keystore', keystore, '-storepass', password, '-alias', 'broker'];
  const keytool = (...args: string[]) => promisify(execFile)(javaTool('keytool'), [...args, ...store]);
  const names = 'san=dns:localhost,ip:127.0.0.1';
  await keytool('-genkeypair', '-keyalg', 'EC', '-dname', 'CN=localhost', '-ext', names, '-validity', '30');
  await keytool('-exportcert', '-rfc', '-file', file);
  return { keystore, password, pem: await readFile(file, 'utf8') };
};
