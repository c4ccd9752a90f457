/** What is generated of xDS, for those who speak it. */
export {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DiscoveryRequest,
  DiscoveryRequestSchema,
} from './generated/envoy/service/discovery/v3/discovery_pb.js';
