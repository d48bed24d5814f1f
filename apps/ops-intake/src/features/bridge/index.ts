import { Type } from '@sinclair/typebox';
import { option } from '../../extension-points.ts';
import { bridgeRoutes } from './bridge-route.ts';

/** Takes what clients of Confluent REST Proxy, Karapace and Strimzi's bridge send to the topic. */
export const bridge = option({
  name: 'bridge',
  settings: {
    BRIDGE: Type.Boolean({
      default: false,
      description: 'whether POST /topics/<KAFKA_TOPIC> takes what clients of Confluent REST Proxy send',
    }),
  },
  open: ({ BRIDGE: isOn }) =>
    isOn
      ? {
          routes: (app, { config, submitting }) => bridgeRoutes(app, config.KAFKA_TOPIC, submitting),
        }
      : undefined,
});
