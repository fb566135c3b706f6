// Renders a Helm chart as `helm template` does, with the template engine and the functions that Helm is made of.
// Helm itself has no package in Debian or on npm.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run render.go CHART RELEASE [VALUES.yaml ...]
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type object = map[string]interface{}

func read(path string) object {
	content, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	values := object{}
	if err := yaml.Unmarshal(content, &values); err != nil {
		log.Fatalf("%s: %v", path, err)
	}
	return values
}

// Overrides values as Helm does: maps are joined, everything else is replaced.
func override(values, by object) object {
	for key, value := range by {
		inner, isMap := value.(object)
		old, wasMap := values[key].(object)
		if isMap && wasMap {
			values[key] = override(old, inner)
		} else {
			values[key] = value
		}
	}
	return values
}

func main() {
	chart, release := os.Args[1], os.Args[2]
	values := read(filepath.Join(chart, "values.yaml"))
	for _, path := range os.Args[3:] {
		values = override(values, read(path))
	}
	facts := read(filepath.Join(chart, "Chart.yaml"))
	context := object{
		"Values":  values,
		"Release": object{"Name": release, "Namespace": "default", "Service": "Helm"},
		"Chart":   object{"Name": facts["name"], "Version": facts["version"], "AppVersion": facts["appVersion"]},
	}

	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	all.Funcs(functions)
	paths, _ := filepath.Glob(filepath.Join(chart, "templates", "*"))
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := all.New(filepath.Base(path)).Parse(string(content)); err != nil {
			log.Fatal(err)
		}
	}
	for _, path := range paths {
		if strings.HasPrefix(filepath.Base(path), "_") {
			continue
		}
		var text bytes.Buffer
		if err := all.ExecuteTemplate(&text, filepath.Base(path), context); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("---\n# Source: %s\n%s\n", filepath.Base(path), text.String())
	}
}
