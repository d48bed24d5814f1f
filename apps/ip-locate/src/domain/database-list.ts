/** The files of each database in a list such as `city-ipv4.mmdb,city-ipv6.mmdb;domain.mmdb`; none where nothing is named. */
export const parseDatabaseList = (text = ''): string[][] =>
  text.split(';').map((files) => (files.trim() === '' ? [] : files.split(',').map((path) => path.trim())));
