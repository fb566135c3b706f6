import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What a process of its own answers. What it makes may need a larger heap than Node gives by itself. */
export async function askApart<answer>(script: string, args: readonly string[]): Promise<answer> {
  const child = fork(script, args, {
    execArgv: ['--import', 'tsx', '--max-old-space-size=12000'],
  })
  const ended = once(child, 'exit')
  const [answer] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`${script} ended with ${code} before it answered.`)
    }),
  ])
  child.disconnect()
  await ended
  return answer
}
