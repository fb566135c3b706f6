// Summarizes the JSON reports of Vitest runs: a table of files, tests and minutes for each run, the
// slowest files, and each failure with its reason. The last line has the totals. node
// test/sumUp.mjs <report.json>...
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'

const slowestShown = 10

// The first lines of a failure show the expectation. The run's own output has the full difference.
const failureLinesMax = 12

const reports = process.argv.slice(2).map(readReport)
print('| run | files | passed | failed | minutes |')
print('|---|---|---|---|---|')
for (const { run, files, passed, failed, minutes } of reports)
  print(`| ${run} | ${files.length} | ${passed} | ${failed} | ${minutes.toFixed(1)} |`)
print('Slowest files:')
const all = reports.flatMap(({ files }) => files)
for (const { name, ms } of all.toSorted((a, b) => b.ms - a.ms).slice(0, slowestShown))
  print(`${(ms / 1_000).toFixed(1).padStart(8)} s  ${name}`)
for (const failure of reports.flatMap(({ failures }) => failures)) print(failure)
const sum = (count) => reports.reduce((total, report) => total + report[count], 0)
print(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)

function readReport(path) {
  const run = basename(path, '.json')
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'))
    const results = report.testResults
    const failures = results.flatMap((file) => failuresOf(run, file))
    return {
      run,
      files: results.map((file) => ({
        name: relative('.', file.name),
        ms: file.endTime - file.startTime,
      })),
      passed: report.numPassedTests,
      // A file that cannot be loaded fails without a failed test.
      failed: failures.length,
      skipped: report.numPendingTests,
      minutes: (Math.max(...results.map(({ endTime }) => endTime)) - report.startTime) / 60_000,
      failures,
    }
  } catch (error) {
    // A run that ended before it wrote a report counts as failed.
    const failures = [`FAILED ${run}: no report (${error.message})`]
    return { run, files: [], passed: 0, failed: 1, skipped: 0, minutes: 0, failures }
  }
}

function failuresOf(run, { name, status, message, assertionResults }) {
  const tests = assertionResults.filter((test) => test.status === 'failed')
  // The worker process ended in the middle: Vitest counts neither the file nor its tests as failed.
  if (assertionResults.length === 0 || assertionResults.some((test) => test.status === 'pending'))
    return [failureText(run, name, 'whole file', message || 'Did not finish.')]
  if (status === 'failed' && tests.length === 0)
    return [failureText(run, name, 'whole file', message)]
  return tests.map(({ fullName, failureMessages }) =>
    failureText(run, name, fullName, failureMessages.join('\n')),
  )
}

function failureText(run, name, test, message) {
  const lines = message.split('\n').slice(0, failureLinesMax)
  return [`FAILED ${run}: ${relative('.', name)}: ${test}`, ...lines].join('\n    ')
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
