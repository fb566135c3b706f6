// Pushes of every topic for a recorded market must equal the recorded bytes.
import { beforeAll, describe, expect, test } from 'vitest'
import { topicVariants } from '../packages/server/src/gateway/feed/topics.ts'
import {
  type RecordedFrames,
  readRecordedFrames,
  readRecordedLog,
  recordFrames,
} from './support/recordedFrames.ts'

const recorded = readRecordedFrames()
const topics = [...new Set(recorded.map(({ name }) => name.split(':')[0]!))]
let made: RecordedFrames[]

beforeAll(async () => {
  made = await recordFrames(readRecordedLog())
})

const ofTopic = (all: readonly RecordedFrames[], topic: string) =>
  all.filter(({ name }) => name.startsWith(`${topic}:`))

test('default: every topic was recorded', () => {
  expect(topics.toSorted()).toEqual([...topicVariants.keys()].toSorted())
  for (const topic of topics)
    expect(ofTopic(recorded, topic).flatMap(({ frames }) => frames)[5], topic).toBeDefined()
})

describe.each(topics)('%s', (topic) => {
  test('behavior: the same subscriptions receive the same frames', () => {
    const wanted = ofTopic(recorded, topic)
    expect(ofTopic(made, topic).map(({ name }) => name)).toEqual(wanted.map(({ name }) => name))
    for (const { name, frames } of wanted)
      expect(made.find((each) => each.name === name)!.frames, name).toEqual(frames)
  })
})
