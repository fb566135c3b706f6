// What reports of several runs say together: how long each file took, the slowest first, what failed and why, and how many tests there were.
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'

// Below this nobody looks for a minute to save.
const shownMs = 2_000

// The first lines of a failure say what was expected; the rest of a long difference is above, where it happened.
const shownLines = 12

let [passed, failed, skipped] = [0, 0, 0]
const failures = []
for (const path of process.argv.slice(2)) {
  const run = basename(path, '.json')
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'))
    passed += report.numPassedTests
    failed += report.numFailedTests
    skipped += report.numPendingTests
    printTimes(run, report.testResults)
    failures.push(...failuresOf(run, report.testResults))
  } catch (error) {
    // A run that left no report has failed as a whole.
    print(`${run}: no report (${error.message})`)
    failed += 1
  }
}
for (const failure of failures) print(failure)
print(`${passed} passed, ${failed} failed, ${skipped} skipped`)

function printTimes(run, files) {
  const times = files
    .map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }))
    .toSorted((a, b) => b.ms - a.ms)
  const totalMs = times.reduce((sum, { ms }) => sum + ms, 0)
  print(`${run}: ${files.length} files, ${seconds(totalMs)} s in all`)
  for (const { name, ms } of times)
    if (ms >= shownMs) print(`${seconds(ms).padStart(8)} s  ${relative('.', name)}`)
}

// A file that could not be loaded has no test that failed, only a message of its own.
function failuresOf(run, files) {
  return files.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && tests.length === 0)
      return [failureText(run, name, 'whole file', message)]
    return tests.map((test) =>
      failureText(run, name, test.fullName, test.failureMessages.join('\n')),
    )
  })
}

function failureText(run, name, test, message) {
  const lines = message.split('\n').slice(0, shownLines)
  return [`FAILED ${run}: ${relative('.', name)}: ${test}`, ...lines].join('\n    ')
}

function print(line) {
  process.stdout.write(`${line}\n`)
}

function seconds(ms) {
  return (ms / 1_000).toFixed(1)
}
