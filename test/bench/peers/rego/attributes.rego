# A and H as data, each rule with its conditions as they are written. `data.deny` and `data.allow` are indexed by hand, by
# the value of the destination key that a rule names first (a service or a namespace); rules found there are gone through.
package placet

default allow := false

allow if {
	not hit(data.deny)
	hit(data.allow)
}

hit(index) if some_holds(index[input.destination.attributes["service:name"]])

else if some_holds(index[input.destination.attributes["k8s:ns"]])

some_holds(rules) if {
	some rule in rules
	every condition in rule.source { holds(condition, input.source.attributes[condition.key]) }
	every condition in rule.destination { holds(condition, input.destination.attributes[condition.key]) }
}

holds(condition, value) if {
	condition.operator == "In"
	value in condition.values
}

holds(condition, value) if {
	condition.operator == "Under"
	some pattern in condition.values
	under(value, pattern)
}

under(value, pattern) if value == pattern

under(value, pattern) if startswith(value, concat("", [pattern, "/"]))
