import { processContext } from './cli/processContext.ts'
import { runCli } from './cli/runCli.ts'
import { tuneV8 } from './lib/tuneV8.ts'

tuneV8()

// A reader that went away (chaintape ... | head) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
})

const exitCode = await runCli(process.argv.slice(2), processContext())
// Exit once the output is written, even if a handle of a stopped part is still open.
process.stdout.write('', () => process.exit(exitCode))
