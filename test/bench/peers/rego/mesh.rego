# S as data: sets of whole identities and of `spiffe://<trust domain>/ns/<namespace>`.
package placet

default allow := false

allow if {
	id := input.source.spiffeId
	namespace := substring(id, 0, indexof(id, "/sa/"))
	not data.deny.exact[id]
	not data.deny.prefix[namespace]
	granted(id, namespace)
}

granted(id, namespace) if data.allow.exact[id]

else if data.allow.prefix[namespace]
