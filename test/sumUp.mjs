// What reports of several runs say together: how long each file took, the slowest first, and how many tests there were.
import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'

// Below this nobody looks for a minute to save.
const shownMs = 2_000

let [passed, failed, skipped] = [0, 0, 0]
for (const path of process.argv.slice(2)) {
  const run = basename(path, '.json')
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'))
    passed += report.numPassedTests
    failed += report.numFailedTests
    skipped += report.numPendingTests
    printTimes(run, report.testResults)
  } catch (error) {
    // A run that left no report has failed as a whole.
    print(`${run}: no report (${error.message})`)
    failed += 1
  }
}
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

function print(line) {
  process.stdout.write(`${line}\n`)
}

function seconds(ms) {
  return (ms / 1_000).toFixed(1)
}
