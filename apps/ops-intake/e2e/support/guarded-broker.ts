import { startBroker, type StandaloneBroker, withAdmin } from '@workspace/kafka-broker';
import { type AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';

/** A broker that lets a user do only what it was allowed to. */
export interface GuardedBroker extends StandaloneBroker {
  /** the environment of a service that logs in as that user */
  readonly login: { KAFKA_BOOTSTRAP_SERVERS: string } & Record<string, string>;
  /** Gives the user a right on one topic, which need not be there yet. */
  allow(topic: string, operation: AclOperationTypes): Promise<void>;
}

/** Starts a broker with Kafka's own authorizer; who comes by the plain listener may do everything. */
export const startGuardedBroker = async (): Promise<GuardedBroker> => {
  const user = { username: 'intake', password: 'secret' };
  const broker = await startBroker({
    sasl: user,
    overrides: {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
    },
  });
  const allow = async (topic: string, operation: AclOperationTypes): Promise<void> => {
    const right = {
      resourceType: AclResourceTypes.TOPIC,
      resourceName: topic,
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: `User:${user.username}`,
      host: '*',
      operation,
      permissionType: AclPermissionTypes.ALLOW,
    };
    await withAdmin(broker.bootstrapServers, (admin) => admin.createAcls({ acl: [right] }));
  };
  const login = {
    KAFKA_BOOTSTRAP_SERVERS: `127.0.0.1:${broker.ports['SASL']}`,
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: user.username,
    KAFKA_SASL_PASSWORD: user.password,
  };
  return Object.assign(broker, { login, allow });
};
