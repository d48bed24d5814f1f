export { cpuMilliseconds, peakMegabytes, residentMegabytes, statOf } from '../process-figures.ts';
export { goProgram } from './go-program.ts';
export { Report } from './report.ts';
export { milliseconds, steadyRequests, type SteadyTimes, timeOfPart } from './steady-requests.ts';
export { inTurns, machine, median, medianOf, printHead, printRow, ratioOf, whole } from './turns.ts';
export { runWrk, type WrkResult } from './wrk.ts';
