import { generateAuthToken } from 'aws-msk-iam-sasl-signer-js';

/** A token for Amazon MSK, by the credentials that the AWS SDK finds. A file of its own, because the SDK is large. */
export const newMskToken = async (region: string): Promise<{ value: string; expiresAt: number }> => {
  const { token, expiryTime } = await generateAuthToken({ region });
  return { value: token, expiresAt: expiryTime };
};
