import { createRegistry, type Registry } from '@bufbuild/protobuf';
import { file_envoy_config_core_v3_extension as extension } from './generated/envoy/config/core/v3/extension_pb.js';
import { file_envoy_config_rbac_v3_rbac as rbac } from './generated/envoy/config/rbac/v3/rbac_pb.js';
import { file_envoy_extensions_filters_http_jwt_authn_v3_config as jwtAuthn } from './generated/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js';
import { file_envoy_extensions_filters_http_lua_v3_lua as lua } from './generated/envoy/extensions/filters/http/lua/v3/lua_pb.js';
import { file_envoy_extensions_filters_http_rbac_v3_rbac as httpRbac } from './generated/envoy/extensions/filters/http/rbac/v3/rbac_pb.js';
import { file_envoy_extensions_filters_http_set_filter_state_v3_set_filter_state as setFilterState } from './generated/envoy/extensions/filters/http/set_filter_state/v3/set_filter_state_pb.js';
import { file_envoy_extensions_filters_network_rbac_v3_rbac as networkRbac } from './generated/envoy/extensions/filters/network/rbac/v3/rbac_pb.js';
import { file_envoy_extensions_matching_common_inputs_environment_variable_v3_input as environment } from './generated/envoy/extensions/matching/common_inputs/environment_variable/v3/input_pb.js';
import { file_envoy_extensions_matching_common_inputs_network_v3_network_inputs as networkInputs } from './generated/envoy/extensions/matching/common_inputs/network/v3/network_inputs_pb.js';
import { file_envoy_extensions_matching_common_inputs_ssl_v3_ssl_inputs as sslInputs } from './generated/envoy/extensions/matching/common_inputs/ssl/v3/ssl_inputs_pb.js';
import { file_envoy_extensions_transport_sockets_tls_v3_tls_spiffe_validator_config as spiffeValidator } from './generated/envoy/extensions/transport_sockets/tls/v3/tls_spiffe_validator_config_pb.js';
import { file_envoy_type_matcher_v3_http_inputs as httpInputs } from './generated/envoy/type/matcher/v3/http_inputs_pb.js';
import { file_placet_metadata_input as metadataInput } from './generated/placet/metadata_input_pb.js';
import { file_placet_metadata_matcher as metadataMatcher } from './generated/placet/metadata_matcher_pb.js';
import { file_placet_principals as principals } from './generated/placet/principals_pb.js';
import { file_xds_type_matcher_v3_matcher as matcher } from './generated/xds/type/matcher/v3/matcher_pb.js';

/** All messages that configuration of ours may hold, also inside an `Any`, by their full names. */
export const registry: Registry = createRegistry(
  extension,
  rbac,
  httpRbac,
  networkRbac,
  jwtAuthn,
  lua,
  setFilterState,
  environment,
  networkInputs,
  sslInputs,
  spiffeValidator,
  httpInputs,
  metadataInput,
  metadataMatcher,
  principals,
  matcher,
);
