// A small script that loads long before the rest: it requests the key and the first klines
// meanwhile.
import { askEarly } from './data/earlyAnswers.ts'
import { startSession } from './data/session.ts'
import { firstKlines } from './lib/firstKlines.ts'

startSession()
const path = firstKlines(location.pathname, new URLSearchParams(location.search))
if (path !== null) askEarly(path)
