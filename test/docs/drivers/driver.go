// The lines are described in driver.mjs.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"driver/receivers"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		headers := http.Header{}
		if fields[1] != "-" {
			headers.Set("svc-timestamp", string(read(fields[1])))
		}
		if fields[2] != "-" {
			headers.Set("svc-signature", string(read(fields[2])))
		}
		now, err := strconv.ParseInt(string(read(fields[4])), 10, 64)
		if err != nil {
			panic(err)
		}
		fmt.Println(receivers.Verify(read(fields[0]), headers, string(read(fields[3])), time.Unix(now, 0)))
	}
}

func read(field string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(field)
	if err != nil {
		panic(err)
	}
	return bytes
}
