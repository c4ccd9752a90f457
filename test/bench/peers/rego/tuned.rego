# A and H as data, made to be fast for them: `data.deny` and `data.allow` are indexed by the value of the destination key
# that a rule names first (a service or a namespace), then by one source key and its value; "*" where a rule has no source
# equality. Values are sets, and locations stand apart. What is left of a rule is checked one by one.
package placet

default allow := false

allow if {
	source := input.source.attributes
	destination := input.destination.attributes
	location := concat("", [source["site:location"], "/"])
	not hit(data.deny, source, destination, location)
	hit(data.allow, source, destination, location)
}

hit(index, source, destination, location) if found(index[destination["service:name"]], source, destination, location)

else if found(index[destination["k8s:ns"]], source, destination, location)

found(index, source, destination, location) if {
	some key, values in index
	some rule in values[source[key]]
	holds(rule, source, destination, location)
}

else if {
	some rule in index["*"]["*"]
	holds(rule, source, destination, location)
}

holds(rule, source, destination, location) if {
	every key, values in rule.source { values[source[key]] }
	every key, value in rule.destination { destination[key] == value }
	located(rule, location)
}

located(rule, _) if not rule.location

located(rule, location) if {
	some prefix in rule.location
	startswith(location, prefix)
}
