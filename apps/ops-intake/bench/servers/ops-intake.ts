import { serveAppOn } from './app-on.ts';
import { openLog } from './open-log.ts';

// The service as it is, with its default settings.
await serveAppOn(await openLog());
