// OPA's Go library over generated rules: reads a policy and requests, then answers commands on standard input
// with one JSON object a line. The Node side of the comparison speaks the same protocol.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/rego"
)

// Requests are parsed afresh, outside the clock, this many at a time.
const chunk = 20

type loaded struct {
	LoadMs     float64 `json:"loadMs"`
	RetainedMb float64 `json:"retainedMb"`
	ResidentMb float64 `json:"residentMb"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: opa-go <policy.rego> <requests.jsonl>")
		os.Exit(2)
	}
	requests := strings.Split(strings.TrimSpace(string(read(os.Args[2]))), "\n")
	policy := string(read(os.Args[1]))
	heapBefore, residentBefore := memory()
	start := time.Now()
	query, err := rego.New(rego.Query("data.placet.allow"), rego.Module("policy.rego", policy)).PrepareForEval(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	took := time.Since(start)
	heap, resident := memory()
	answer(loaded{float64(took.Microseconds()) / 1000, heap - heapBefore, resident - residentBefore})

	commands := bufio.NewScanner(os.Stdin)
	for commands.Scan() {
		word, argument, _ := strings.Cut(commands.Text(), " ")
		number, _ := strconv.ParseFloat(argument, 64)
		switch word {
		case "check":
			verdicts := make([]byte, int(number))
			for i := range verdicts {
				verdicts[i] = '0'
				if decide(query, parse(requests[i])) {
					verdicts[i] = '1'
				}
			}
			answer(map[string]string{"verdicts": string(verdicts)})
		case "round":
			answer(map[string]float64{"perSec": round(query, requests, time.Duration(number)*time.Millisecond)})
		}
	}
}

func round(query rego.PreparedEvalQuery, requests []string, budget time.Duration) float64 {
	count, clocked := 0, time.Duration(0)
	for clocked < budget {
		inputs := make([]any, chunk)
		for i := range inputs {
			inputs[i] = parse(requests[(count+i)%len(requests)])
		}
		start := time.Now()
		for i := range inputs {
			decide(query, inputs[i])
		}
		clocked += time.Since(start)
		count += chunk
	}
	return float64(count) / clocked.Seconds()
}

func decide(query rego.PreparedEvalQuery, input any) bool {
	results, err := query.Eval(context.Background(), rego.EvalInput(input))
	if err != nil {
		panic(err)
	}
	return results.Allowed()
}

func parse(text string) (value any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		panic(err)
	}
	return value
}

func memory() (heapMb, residentMb float64) {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fields := strings.Fields(string(read("/proc/self/statm")))
	pages, _ := strconv.ParseFloat(fields[1], 64)
	return float64(stats.HeapAlloc) / 1e6, pages * float64(os.Getpagesize()) / 1e6
}

func read(path string) []byte {
	bytes, err := os.ReadFile(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return bytes
}

func answer(value any) {
	bytes, _ := json.Marshal(value)
	fmt.Println(string(bytes))
}
