import { limits } from '../../../pdp/model/limits.ts';
import { reservedScopes } from '../../../pdp/model/peer-told.ts';
import { trustLevels } from '../../../pdp/model/trust.ts';
import { checkedBy, checks, headerKey, jwtFilter, passed, payloadKey, tokenHeader } from './token.ts';

const words = (list: readonly string[]) => list.map((one) => JSON.stringify(one)).join(', ');

/**
 * What `jwt_authn` does not look at (SPEC XCH1), in Lua: whose connection a token is for, how long it lives, and the
 * form of its claims. What it finds it only says: RBAC denies where a word is missing, so that a script that fails, or
 * is not there, lets nobody in. It is the same for all exports, so that who verifies one knows it by its text.
 */
export const script = `local levels = {}
for _, level in ipairs({ ${words(trustLevels)} }) do levels[level] = true end
local reserved = { ${words(reservedScopes)} }

local function isText(value, least, most)
  return type(value) == "string" and #value >= least and #value <= most
end

local function isTime(value)
  return type(value) == "number" and value >= 0 and value == math.floor(value)
end

local function isWorkload(value)
  if not isText(value, 1, ${limits.spiffeIdBytes}) then return false end
  local domain, path = value:match("^spiffe://([a-z0-9._%-]+)(/.*)$")
  if domain == nil or #domain > ${limits.trustDomainBytes} then return false end
  for segment in path:gmatch("/([^/]*)") do
    if segment == "." or segment == ".." or not segment:match("^[A-Za-z0-9._%-]+$") then return false end
  end
  return true
end

local function isReserved(key)
  for _, scope in ipairs(reserved) do
    if key:sub(1, #scope) == scope then return true end
  end
  return false
end

local checks = {}

function checks.binding(handle, claims)
  local digest = handle:streamInfo():downstreamSslConnection():sha256PeerCertificateDigest()
  local bytes = digest:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)
  local text = handle:base64Escape(bytes):gsub("%+", "-"):gsub("/", "_"):gsub("=", "")
  return #digest == 64 and claims.cnf["x5t#S256"] == text
end

function checks.times(handle, claims)
  local now = tonumber(handle:timestamp()) / 1000
  local iat, exp, nbf = claims.iat, claims.exp, claims.nbf
  return isTime(iat) and isTime(exp) and exp - iat <= ${limits.tokenLifeSeconds}
    and now < exp + ${limits.tokenSkewSeconds} and now >= iat - ${limits.tokenSkewSeconds}
    and (nbf == nil or (isTime(nbf) and now >= nbf - ${limits.tokenSkewSeconds}))
end

function checks.claims(_, claims, header)
  if not isText(header.kid, 1, ${limits.nameBytes}) or header.crit ~= nil or header.b64 ~= nil then return false end
  if header.typ ~= nil and header.typ ~= "JWT" and header.typ ~= "JOSE" then return false end
  if not isText(claims.jti, 1, ${limits.nameBytes}) then return false end
  if claims.sub ~= nil and not isWorkload(claims.sub) then return false end
  local count = 0
  for key, value in pairs(claims.attributes) do
    count = count + 1
    if count > ${limits.tokenAttributes} or not isText(key, 1, ${limits.attributeKeyBytes}) or isReserved(key) then return false end
    if not isText(value, 0, ${limits.attributeValueBytes}) or not levels[claims.trust[key]] then return false end
  end
  for key in pairs(claims.trust) do
    if claims.attributes[key] == nil then return false end
  end
  return true
end

function envoy_on_request(handle)
  local token = handle:headers():get("${tokenHeader}")
  handle:headers():remove("${tokenHeader}")
  local metadata = handle:streamInfo():dynamicMetadata()
  local verified = metadata:get("${jwtFilter}")
  if verified == nil or not isText(token, 1, ${limits.tokenBytes}) then return end
  for _, name in ipairs({ ${words(checks)} }) do
    local ran, holds = pcall(checks[name], handle, verified["${payloadKey}"], verified["${headerKey}"])
    if ran and holds == true then metadata:set("${checkedBy}", name, "${passed}") end
  end
end
`;
