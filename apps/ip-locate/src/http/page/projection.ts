/** Units of the drawing per degree; longitude and latitude are its axes (equirectangular projection). */
export const SCALE = 10;

export const xOf = (longitude: number): number => Math.round((longitude + 180) * SCALE);
export const yOf = (latitude: number): number => Math.round((90 - latitude) * SCALE);
