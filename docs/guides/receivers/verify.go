// Package receivers verifies deliveries.
package receivers

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// Verify checks the signature and the timestamp. rawBody is the unparsed body: io.ReadAll(request.Body).
func Verify(rawBody []byte, headers http.Header, secret string, now time.Time) bool {
	timestamp := headers.Get("Svc-Timestamp")
	sentAt, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return false
	}
	if age := now.Unix() - int64(sentAt); age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
	for _, part := range strings.Split(headers.Get("Svc-Signature"), ",") {
		if hmac.Equal([]byte(strings.TrimSpace(part)), expected) {
			return true
		}
	}
	return false
}
