export const OPEN_API_JSON_TYPE = 'application/vnd.oai.openapi+json;version=3.1';
export const OPEN_API_YAML_TYPE = 'application/yaml';
