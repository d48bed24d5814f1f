import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The leaves of an entry by their path, `city.names.en`; texts and numbers as mmdblookup prints them. */
export type Leaves = Record<string, string>;

export interface Question {
  readonly file: string;
  readonly ip: string;
}

/** Runs mmdblookup once per address, all from one shell. Unknown addresses have no leaves. */
export const lookUp = async (questions: readonly Question[]): Promise<Leaves[]> => {
  const script =
    'while read -r file ip; do echo "== $ip"; mmdblookup --file "$file" --ip "$ip" 2>/dev/null; done; exit 0';
  const shell = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  shell.stdin.end(questions.map(({ file, ip }) => `${file} ${ip}\n`).join(''));
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await once(shell, 'close');
  return output
    .split(/^== .*\n/m)
    .slice(1)
    .map(leavesOf);
};

/** Keys end in a colon, values in their type in angle brackets, braces and brackets open and close. */
const leavesOf = (text: string): Leaves => {
  const leaves: Leaves = {};
  const path: string[] = [];
  let key = '';
  for (const line of text.split('\n').map((part) => part.trim())) {
    const value = /^(.*) <(utf8_string|double|float|uint\d+|boolean)>$/.exec(line)?.[1];
    if (/^".*":$/.test(line)) key = line.slice(1, -2);
    else if (line === '{' || line === '[') path.push(key);
    else if (line === '}' || line === ']') path.pop();
    else if (value !== undefined) leaves[[...path.slice(1), key].join('.')] = value.replace(/^"(.*)"$/, '$1');
  }
  return leaves;
};
