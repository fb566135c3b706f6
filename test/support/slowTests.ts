import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Anything that takes longer is told of, each minute again. */
const slowMs = 180_000
const lookedAtMs = 60_000

type Step = { what: string; sinceMs: number }

/**
 * Tells what has been under way for long. Whoever ends a run that hangs would otherwise read of all files but the one that hung: a
 * file is told of when it has ended.
 */
export default class SlowTests implements Reporter {
  /** By file. */
  private readonly steps = new Map<string, Step>()
  private timer: NodeJS.Timeout | undefined

  onTestRunStart(): void {
    this.timer = setInterval(() => this.tell(), lookedAtMs)
  }

  onTestRunEnd(): void {
    clearInterval(this.timer)
  }

  onTestModuleQueued(file: TestModule): void {
    this.begin(file, 'it is loaded')
  }

  onTestCaseReady(test: TestCase): void {
    this.begin(test.module, test.fullName)
  }

  onTestCaseResult(test: TestCase): void {
    this.begin(test.module, `after ${test.fullName}`)
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.steps.delete(moduleId)
  }

  private begin({ moduleId }: TestModule, what: string): void {
    this.steps.set(moduleId, { what, sinceMs: performance.now() })
  }

  private tell(): void {
    for (const [file, { what, sinceMs }] of this.steps) {
      const ms = performance.now() - sinceMs
      if (ms < slowMs) continue
      const minutes = Math.round(ms / 60_000)
      process.stdout.write(`Slow: ${relative('.', file)}: ${what}: ${minutes} min\n`)
    }
  }
}
