import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, Lie, LyingRelay } from '@expert-relay/testkit';
import { expect, test } from '@jest/globals';
import { makeRoot } from './crypto/index.ts';
import type { ExpertRequest } from './expert/index.ts';
import type { Conversation } from './index.ts';
import { createFileStore } from './node/index.ts';
import { regionForm as form } from './testing/region-form.ts';
import { takeMessages } from './testing/take-messages.ts';
import { useTestServer } from './testing/use-test-server.ts';

/*
 * Processes of an agent that share a folder, two devices of an expert, and a relay that hides what it likes, loses calls and states
 * ends that were not, in an order that a seed draws. Whatever it does: the first decision that one of them returned stays, no
 * answer counts that had not seen a text of the agent, and after a contradiction or a close none becomes a yes.
 */

const server = useTestServer();
const root = makeRoot();
const steps = 14;
const timeoutMs = 400;

/** Draws the same numbers for the same seed. */
function drawFrom(seed: number) {
  let count = 0;
  const draw = (below: number): number => {
    const bytes = createHash('sha256').update(`${seed}/${count++}`).digest();
    return bytes.readUInt32BE() % below;
  };
  const pick = <T>(options: readonly T[]): T => options[draw(options.length)] as T;
  return { draw, pick };
}

/** The facts that bind every process with one store, or those that one process has learned itself. */
class Knowledge {
  /** The comment of the decision that was returned. */
  decided: string | undefined;
  isContradicted = false;
  isWithdrawn = false;
  /** The texts that the agent has written before a decision. */
  readonly written = new Set<string>();

  copy(): Knowledge {
    return Object.assign(new Knowledge(), this, { written: new Set(this.written) });
  }
}

interface Process {
  readonly conversation: Conversation<unknown>;
  /** Of the store. */
  readonly shared: Knowledge;
  /** It goes along when it is continued elsewhere. */
  readonly own: Knowledge;
  readonly name: string;
}

class History {
  readonly #draw;
  readonly #folder = mkdtempSync(join(tmpdir(), 'relay-history-'));
  readonly #once = crypto.randomUUID();
  readonly #processes: Process[] = [];
  readonly #shared = new Knowledge();
  readonly #devices: { request: ExpertRequest; shown: Set<string> }[] = [];
  /** The texts of the agent that a device had been shown before it gave an answer, by the answer's comment. */
  readonly #shownBefore = new Map<string, ReadonlySet<string>>();
  readonly log: string[] = [];
  readonly #liar: LyingRelay;
  #names = 0;

  constructor(seed: number, liar: LyingRelay) {
    this.#draw = drawFrom(seed);
    this.#liar = liar;
  }

  async run(): Promise<void> {
    try {
      await this.#startProcess();
      for (let device = 0; device < 2; device++) {
        const request = await server
          .expert({ root })
          .request(this.#processes[0]?.conversation.requestId ?? '');
        await request.pickUp();
        this.#devices.push({ request, shown: new Set() });
      }
      const acts = {
        lie: () => this.#lie(),
        lieAgain: () => this.#lie(),
        startProcess: () => this.#startProcess(),
        answer: () => this.#answer(),
        answerToo: () => this.#answer(),
        write: () => this.#write(),
        wait: () => this.#wait(),
        waitToo: () => this.#wait(),
        continueElsewhere: () => this.#continueElsewhere(),
        close: () => this.#close(),
      };
      for (let step = 0; step < steps; step++) {
        // The first decision ends most of what can happen, and so does a close.
        const isEarly = step < steps / 2;
        const names = Object.keys(acts).filter(
          (name) => !(isEarly && /^wait|close/.test(name)) && (name !== 'close' || this.#draw.draw(4) === 0),
        );
        await acts[this.#draw.pick(names) as keyof typeof acts]();
      }
      this.#liar.tell({});
      for (const process of this.#processes) await this.#waitOf(process);
    } finally {
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }

  #lie(): void {
    const kind = this.#draw.pick(['none', 'hides', 'hides', 'loses', 'closed'] as const);
    const salt = this.#draw.draw(1_000);
    const isHidden = (messageId: string) =>
      createHash('sha256').update(`${salt}/${messageId}`).digest().readUInt8() % 3 === 0;
    const lies: Record<typeof kind, Lie> = {
      none: {},
      hides: {
        answer(answer) {
          const { messages } = answer as { messages?: { messageId: string }[] };
          if (!messages) return answer;
          return { ...answer, messages: messages.filter(({ messageId }) => !isHidden(messageId)) } as Json;
        },
      },
      loses: {
        swallow: ({ method, path }) =>
          method === 'POST' && path.includes('/message/')
            ? { status: 503, body: { status: 503 } }
            : undefined,
      },
      closed: {
        answer: (answer) => ('status' in answer ? ({ ...answer, status: 'closed' } as Json) : answer),
      },
    };
    this.log.push(`the relay: ${kind}`);
    this.#liar.tell(lies[kind]);
  }

  async #startProcess(): Promise<void> {
    const agent = server.agent({
      url: this.#liar.url,
      store: createFileStore(join(this.#folder, 'state')),
      timing: { patienceMs: 0 },
    });
    const isFirst = this.#processes.length === 0;
    try {
      const conversation = await agent.ask({ question: 'Where?', form, once: this.#once });
      const name = `process ${this.#processes.length}`;
      this.#processes.push({ conversation, shared: this.#shared, own: new Knowledge(), name });
      this.log.push(`${name} starts`);
    } catch (error) {
      if (isFirst) throw error;
      this.log.push(`a process cannot start: ${codeOf(error)}`);
    }
  }

  async #answer(): Promise<void> {
    const device = this.#draw.pick(this.#devices);
    const comment = `answer ${this.#names++}`;
    const decision =
      this.#draw.draw(3) === 0
        ? ({ action: 'decline' } as const)
        : ({ action: 'accept', content: { region: this.#draw.pick(['eu', 'us']) } } as const);
    try {
      await device.request.refresh();
      for (const { from, text } of await takeMessages(device.request))
        if (from === 'agent') device.shown.add(text);
      this.#shownBefore.set(comment, new Set(device.shown));
      await device.request.answer(comment, { decision, evenIfNewer: this.#draw.draw(2) === 0 });
      this.log.push(`${comment}: ${JSON.stringify(decision)}, after ${[...device.shown]}`);
    } catch (error) {
      this.log.push(`${comment} is refused: ${codeOf(error)}`);
    }
  }

  async #write(): Promise<void> {
    const { conversation, shared, own, name } = this.#draw.pick(this.#processes);
    const text = `WAIT ${this.#names++}`;
    const knowing = [shared, own].filter(({ decided }) => decided === undefined);
    for (const { written } of knowing) written.add(text);
    try {
      await conversation.send(text);
      this.log.push(`${name}: ${text}`);
    } catch (error) {
      this.log.push(`${name}: ${text}, ${codeOf(error)}`);
      // Then it was refused, and does not wait.
      if (!conversation.unsent.includes(text)) for (const { written } of knowing) written.delete(text);
    }
  }

  async #wait(): Promise<void> {
    await this.#waitOf(this.#draw.pick(this.#processes));
  }

  async #waitOf({ conversation, shared, own, name }: Process): Promise<void> {
    try {
      const { action, comment = '' } = await conversation.waitForDecision({ timeoutMs });
      this.log.push(`${name} returns ${comment}`);
      const { decided, isContradicted, isWithdrawn, written } = shared;
      expect(comment).toBe(decided ?? comment);
      if (decided === undefined) {
        expect(isWithdrawn).toBe(false);
        if (isContradicted) expect(action).toBe('decline');
        const shown = this.#shownBefore.get(comment);
        expect([...written].filter((text) => !shown?.has(text))).toEqual([]);
      }
      for (const knowledge of [shared, own]) knowledge.decided ??= comment;
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      this.log.push(`${name}: ${code}`);
      for (const knowledge of [shared, own]) {
        if (code === 'answer_conflict') knowledge.isContradicted = true;
        if (code === 'withdrawn') knowledge.isWithdrawn = true;
      }
    }
  }

  async #continueElsewhere(): Promise<void> {
    const { conversation, own, name: from } = this.#draw.pick(this.#processes);
    try {
      const elsewhere = server.agent({ url: this.#liar.url, timing: { patienceMs: 0 } });
      const continued = await elsewhere.resume(conversation.export());
      const name = `process ${this.#processes.length}`;
      this.log.push(`${name} continues ${from} elsewhere`);
      const known = own.copy();
      this.#processes.push({ conversation: continued, shared: known, own: known, name });
    } catch (error) {
      this.log.push(`cannot be continued: ${codeOf(error)}`);
    }
  }

  async #close(): Promise<void> {
    const { conversation, name } = this.#draw.pick(this.#processes);
    try {
      await conversation.close();
      this.log.push(`${name} has closed`);
    } catch (error) {
      this.log.push(`${name} could not close: ${codeOf(error)}`);
    }
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code;

test.each(Array.from({ length: 15 }, (_, seed) => seed))('history %i', async (seed) => {
  const liar = await server.startLyingRelay();
  const history = new History(seed, liar);
  try {
    await history.run();
  } catch (error) {
    (error as Error).message += `\n${history.log.join('\n')}`;
    throw error;
  } finally {
    await liar.stop();
  }
});
