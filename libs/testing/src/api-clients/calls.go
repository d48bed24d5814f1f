// Sends calls with a client of oapi-codegen and prints the answers. Arguments: the service's URL and the calls as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"

	"client/api"
)

type call struct {
	Name, OperationId, ContentType string
	// values in the order of the path
	PathValues                       []string
	Query, Headers, ParameterHeaders map[string]string
	Body                             json.RawMessage
	HasBody, IsJSON, Direct          bool
}

type answer struct {
	Status int `json:"status"`
	Data   any `json:"data"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// From JSON to what a parameter of a generated function needs.
func typed(data []byte, kind reflect.Type) reflect.Value {
	value := reflect.New(kind)
	if err := json.Unmarshal(data, value.Interface()); err != nil {
		panic(err)
	}
	return value.Elem()
}

// The fields of a response that hold a parsed body.
var parsedField = regexp.MustCompile(`^[A-Z]\w*\d{3}$`)

func (c call) send(client reflect.Value) answer {
	name := strings.ToUpper(c.OperationId[:1]) + c.OperationId[1:]
	if c.ContentType != "" {
		name += "WithBody"
	}
	if !c.Direct {
		name += "WithResponse"
	}
	method := client.MethodByName(name)
	if !method.IsValid() {
		panic("the client has no " + name)
	}
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	for _, value := range c.PathValues {
		arguments = append(arguments, reflect.ValueOf(value).Convert(method.Type().In(len(arguments))))
	}
	parameters := map[string]string{}
	for _, values := range []map[string]string{c.Query, c.ParameterHeaders} {
		for name, value := range values {
			parameters[name] = value
		}
	}
	next := func() reflect.Type { return method.Type().In(len(arguments)) }
	if next().Kind() == reflect.Pointer {
		arguments = append(arguments, typed(must(json.Marshal(parameters)), next()))
	}
	if c.ContentType != "" {
		var body string
		if err := json.Unmarshal(c.Body, &body); err != nil {
			panic(err)
		}
		arguments = append(arguments, reflect.ValueOf(c.ContentType), reflect.ValueOf(strings.NewReader(body)))
	} else if c.HasBody {
		arguments = append(arguments, typed(c.Body, next()))
	}
	var editor api.RequestEditorFn = func(_ context.Context, request *http.Request) error {
		for name, value := range c.Headers {
			request.Header.Set(name, value)
		}
		return nil
	}
	results := method.Call(append(arguments, reflect.ValueOf(editor)))
	if !results[1].IsNil() {
		panic(fmt.Sprint(c.Name, ": ", results[1].Interface()))
	}
	if response, ok := results[0].Interface().(*http.Response); ok {
		defer response.Body.Close()
		return answer{response.StatusCode, string(must(io.ReadAll(response.Body)))}
	}
	response := results[0].Elem()
	status := response.FieldByName("HTTPResponse").Interface().(*http.Response).StatusCode
	for index := range response.NumField() {
		field, kind := response.Field(index), response.Type().Field(index)
		if parsedField.MatchString(kind.Name) && !strings.HasPrefix(kind.Name, "Headers") && !field.IsNil() {
			return answer{status, field.Interface()}
		}
	}
	if c.IsJSON {
		panic(c.Name + ": the client parses no JSON")
	}
	return answer{status, string(response.FieldByName("Body").Bytes())}
}

func main() {
	var calls []call
	if err := json.Unmarshal([]byte(os.Args[2]), &calls); err != nil {
		panic(err)
	}
	keepRedirects := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	client := reflect.ValueOf(must(api.NewClientWithResponses(os.Args[1], api.WithHTTPClient(keepRedirects))))
	answers := map[string]answer{}
	for _, one := range calls {
		answers[one.Name] = one.send(client)
	}
	fmt.Println(string(must(json.Marshal(answers))))
}
