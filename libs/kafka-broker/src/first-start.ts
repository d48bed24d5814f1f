/** What only the first start of a version of Kafka does, as it goes on. */
export type FirstStartStep =
  | { step: 'fetching'; bytes: number }
  | { step: 'fetched'; bytes: number; seconds: number }
  | { step: 'archiving' };

/** What an empty cache of Maven lacks: Kafka (56 MB), and Maven's own plugins. */
const MEGABYTES = 75;

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/**
 * Tells a reader: in lines that stay when something begins and ends, and in between by one that is replaced.
 * @param status replaces the last line; '' erases it
 */
export const sayFirstStart = (
  line: (text: string) => void,
  status: (text: string) => void,
): ((progress: FirstStartStep) => void) => {
  let begun = false;
  return (progress) => {
    if (progress.step === 'archiving') {
      line('writing an archive of its classes, once, in some ten seconds ...');
    } else if (progress.step === 'fetched') {
      status('');
      line(`fetched Kafka: ${megabytes(progress.bytes)} MB in ${progress.seconds.toFixed(0)} s`);
    } else {
      if (!begun) line(`fetching Kafka from Maven Central (up to ${MEGABYTES} MB) ...`);
      begun = true;
      status(`fetching Kafka: ${megabytes(progress.bytes)} of up to ${MEGABYTES} MB`);
    }
  };
};
