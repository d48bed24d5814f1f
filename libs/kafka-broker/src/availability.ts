import { jarsCached, mavenInstalled } from './jars.ts';
import { installedJava, oldestJava } from './java.ts';

export type Availability = { ok: true } | { ok: false; missing: string };

/** Whether a broker can be started on this machine, else in one line what it lacks. Starts nothing, fetches nothing. */
export const kafkaAvailable = (): Availability => {
  const java = installedJava();
  if (java === undefined)
    return { ok: false, missing: `no Java found; a JDK ${oldestJava} or newer is needed` };
  if (java < oldestJava)
    return { ok: false, missing: `Java ${java} is too old; a JDK ${oldestJava} or newer is needed` };
  if (!jarsCached() && !mavenInstalled())
    return { ok: false, missing: "no Maven found to fetch Kafka's jars" };
  return { ok: true };
};
