// `nx soak docker [minutes]`: half an hour of mixed load on the whole stack, while release data and databases are replaced and brokers,
// key store and proxy restart in turns, one event a minute. Every acknowledged submission has to be in the log, once; answers have to be
// those that the design names; from minute 5 on, memory and descriptors of no process may grow by more than a tenth.
//
// Prints each event, how often each answer was given, and what grew. Exit code 1 when anything is otherwise.
import buildImages from './support/build-images.ts';
import { soak } from './support/soak.ts';

const minutes = Number(process.argv[2] ?? 30);
buildImages();
const breaches = await soak({ minutes, eventEveryMs: 60_000, print: console.log });
for (const breach of breaches) console.log(breach);
process.exit(breaches.length > 0 ? 1 : 0);
