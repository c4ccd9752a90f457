import { type Api, type Credentials, connect } from '../attributes/kubernetes/client.ts';
import { exit, Failure } from './failure.ts';

/** The API server of a cluster that was named, seen through the credentials for it. */
export async function openCluster(credentials: Credentials): Promise<Api> {
  try {
    return await connect(credentials);
  } catch (error) {
    throw new Failure(exit.problems, `kubernetes: ${(error as Error).message}`);
  }
}
