// Reads JSON lines {pattern, text}; prints 1 when the pattern is found, 0 when not, "refused" when it is not taken.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(make([]byte, 1<<20), 1<<20)
	for scanner.Scan() {
		var one struct{ Pattern, Text string }
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			panic(err)
		}
		expression, err := regexp.Compile(one.Pattern)
		if err != nil {
			fmt.Println("refused")
		} else if expression.MatchString(one.Text) {
			fmt.Println("1")
		} else {
			fmt.Println("0")
		}
	}
}
