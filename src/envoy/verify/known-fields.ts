import { entries } from './json.ts';

/**
 * Fields around RBAC that are read here, or that change neither who gets as far as RBAC nor what it sees: by the
 * definitions of Envoy 1.40. Of any other one it is not known what it does, those of later versions included.
 */
const known = {
  'the listener': `name address additional_addresses stat_prefix stats_matcher filter_chains filter_chain_matcher
    default_filter_chain per_connection_buffer_limit_bytes per_connection_buffer_high_watermark_timeout metadata
    deprecated_v1 drain_type listener_filters listener_filters_timeout continue_on_listener_filters_timeout transparent
    freebind socket_options tcp_fast_open_queue_length traffic_direction connection_balance_config reuse_port
    enable_reuse_port access_log tcp_backlog_size max_connections_to_accept_per_socket_event bind_to_port
    internal_listener enable_mptcp ignore_global_conn_limit bypass_overload_manager tcp_keepalive`,
  'the filter chain': `filter_chain_match filters use_proxy_proto metadata transport_socket
    transport_socket_connect_timeout name`,
  'the TLS context': `common_tls_context require_client_certificate require_sni session_ticket_keys
    session_ticket_keys_sds_secret_config disable_stateless_session_resumption disable_stateful_session_resumption
    session_timeout ocsp_staple_policy full_scan_certs_on_sni_mismatch prefer_client_ciphers`,
  common_tls_context: `tls_params tls_certificates tls_certificate_sds_secret_configs
    tls_certificate_provider_instance custom_tls_certificate_selector tls_certificate_certificate_provider
    tls_certificate_certificate_provider_instance validation_context validation_context_sds_secret_config
    combined_validation_context alpn_protocols key_log`,
  'the validation context': `trusted_ca ca_certificate_provider_instance system_root_certs watched_directory
    require_signed_certificate_timestamp crl allow_expired_certificate trust_chain_verification
    custom_validator_config only_verify_leaf_cert_crl max_verify_depth suppress_client_ca_list`,
  'the SPIFFE validator': 'trust_domains',
  'the TLS inspector': `enable_ja3_fingerprinting enable_ja4_fingerprinting initial_read_buffer_size
    close_connection_on_client_hello_parsing_errors`,
  'the connection manager': `codec_type stat_prefix rds route_config scoped_routes http_filters add_user_agent tracing
    common_http_protocol_options http1_safe_max_connection_duration http_protocol_options http2_protocol_options
    http3_protocol_options server_name server_header_transformation scheme_header_transformation
    max_request_headers_kb stream_idle_timeout stream_flush_timeout request_timeout request_headers_timeout
    drain_timeout drain_timeout_jitter delayed_close_timeout access_log access_log_flush_interval
    flush_access_log_on_new_request access_log_options use_remote_address xff_num_trusted_hops
    original_ip_detection_extensions internal_address_config skip_xff_append via generate_request_id
    preserve_external_request_id always_set_request_id_in_response forward_client_cert_details
    set_current_client_cert_details forward_client_cert_matcher proxy_100_continue proxy100_continue
    represent_ipv4_remote_address_as_ipv4_mapped_ipv6 upgrade_configs normalize_path merge_slashes
    path_with_escaped_slashes_action request_id_extension local_reply_config strip_matching_host_port
    strip_any_host_port stream_error_on_invalid_http_message strip_trailing_host_dot proxy_status_config
    append_x_forwarded_port append_local_overload add_proxy_protocol_connection_state forward_proto_config
    record_route_resolution_stats`,
  scoped_routes: 'name scope_key_builder rds_config_source scoped_route_configurations_list',
  'the route table': `name virtual_hosts internal_only_headers response_headers_to_add response_headers_to_remove
    request_headers_to_add request_headers_to_remove most_specific_header_mutations_wins validate_clusters
    max_direct_response_body_size_bytes cluster_specifier_plugins request_mirror_policies
    ignore_port_in_host_matching vhost_header ignore_path_parameters_in_path_matching typed_per_filter_config
    metadata`,
  'the virtual host': `name domains routes matcher require_tls virtual_clusters rate_limits request_headers_to_add
    request_headers_to_remove response_headers_to_add response_headers_to_remove cors typed_per_filter_config
    include_request_attempt_count include_attempt_count_in_response retry_policy retry_policy_typed_config
    hedge_policy include_is_timeout_retry_header per_request_buffer_limit_bytes request_body_buffer_limit
    request_mirror_policies metadata`,
  'the route': `name match route redirect direct_response filter_action non_forwarding_action metadata decorator
    typed_per_filter_config request_headers_to_add request_headers_to_remove response_headers_to_add
    response_headers_to_remove tracing per_request_buffer_limit_bytes stat_prefix request_body_buffer_limit`,
  jwt_authn: 'providers rules stat_prefix strip_failure_response',
  'the provider': `issuer audiences require_expiration local_jwks forward from_headers payload_in_metadata
    header_in_metadata clock_skew_seconds`,
  'the rule': 'match requires',
  'its match': 'prefix',
} as const;

export type Message = keyof typeof known;

const fieldsOf = new Map<string, ReadonlySet<string>>(
  entries(known).map(([message, fields]) => [message, new Set(String(fields).split(/\s+/))]),
);

/** What of a message cannot be followed, each named; Envoy takes a field in both spellings, one of which is read. */
export function unknownFields(message: Message, value: unknown): string[] {
  const names = entries(value).flatMap(([key, one]) => (key === '@type' || isUnset(one) ? [] : [snake(key)]));
  const unknown = names.filter((name) => fieldsOf.get(message)?.has(name) !== true);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return [...unknown, ...twice.map((name) => `${name} in two spellings`)];
}

function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** As it would be if it were not there. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === false || (Array.isArray(value) && !value.length);
}
