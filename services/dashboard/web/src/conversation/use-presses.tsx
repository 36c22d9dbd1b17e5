import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createStore, useStore } from '../ui/store.ts';
import { bringTo } from './bring-to.ts';
import { hasEnded } from './conversation-state.ts';
import { formToDecide } from './open-form.ts';
import styles from './reply-area.module.css';
import { awayOf, unreadOf } from './shown-texts.ts';
import type { useConversation } from './use-conversation.ts';
import type { Drafts } from './use-drafts.ts';

/** A press that sends. It is taken for what was displayed, and counts as made when that was in view for a second. */
interface Waiting {
  /** The name of its button. */
  readonly name: string;
  readonly act: () => void;
  /** The end of the form, if it decides about one. */
  readonly last: string | undefined;
  readonly displayed: readonly unknown[];
}

/** A press that leads to what is out of view, up to its end. */
interface Led {
  readonly last: string | undefined;
  /** What was in view at the press: it stays there until its second is over. Undefined once the press has led. */
  readonly reading: readonly string[] | undefined;
  readonly displayed: readonly unknown[];
}

export interface Presses {
  /** Why the last press has not acted yet, or was not taken. */
  readonly hint: string;
  /** The name of the button whose press waits. */
  readonly waiting: string | undefined;
  /** What the button of this name says in place of it: no longer than a name, so that the button stays as high. */
  saysOn(name: string): string | undefined;
  /** Whether a press would lead to a text that is out of view. */
  isAway(last?: string): boolean;
  /** Acts at once if all texts were shown, or as soon as they were. */
  take(name: string, act: () => void, last?: string): void;
  /** Notes a press on any button, and whether it was dropped. */
  onPress(name: string, isDropped: boolean): void;
}

/** About a press in a request that the expert has left since, until the next press. */
const left = createStore('');

const canHover = matchMedia('(hover: hover)').matches;

/** The presses of the reply area of one request. */
export function usePresses(conversation: ReturnType<typeof useConversation>, drafts: Drafts): Presses {
  const { now, state } = conversation;
  const [waiting, setWaiting] = useState<Waiting>();
  const [led, setLed] = useState<Led>();
  const [said, say] = useState('');
  const [dropped, setDropped] = useState<string>();
  const saidBefore = useStore(left);
  const { request, refusal } = now;

  /** What a press is for. The sentences say what has changed. */
  const displayed = [
    now.messages.filter(({ from }) => from === 'agent').length,
    `${formToDecide(now)?.of} ${request?.decision}`,
    (request && hasEnded(request)) || refusal,
    useStore(drafts.text.text),
    useStore(drafts.form.text),
    useStore(conversation.files),
  ];
  const changeSince = (press: Waiting | Led) => displayed.findIndex((one, at) => one !== press.displayed[at]);
  const changes = ['the agent wrote meanwhile', 'it was decided elsewhere', 'the request has changed'];

  const latest = useRef(waiting);
  latest.current = waiting;
  const end = () => {
    latest.current = undefined;
    setWaiting(undefined);
  };

  function forget(): void {
    say('');
    setDropped(undefined);
    left.set('');
    setLed(undefined);
  }

  function lead(last: string | undefined): void {
    const { inView } = state.get();
    setLed({ last, reading: unreadOf(state.get(), last).filter((end) => inView.has(end)), displayed });
  }

  useEffect(() => {
    if (!led) return;
    const { last, reading } = led;
    const away = awayOf(now, last);
    if (away === undefined) return setLed(undefined);
    if (reading?.some((end) => !now.shown.has(end) && now.inView.has(end)) ?? true) return;
    setLed({ ...led, reading: undefined });
    // It would take the focus from one who types on.
    if (changeSince(led) < 0) bringTo(away, () => state.get().shown.has(away));
  });

  useEffect(() => {
    if (!waiting) return;
    const { last, act } = waiting;
    const changed = changeSince(waiting);
    const isRead = unreadOf(state.get(), last).length === 0;
    const isAway = awayOf(now, last) !== undefined;
    if (changed < 0 && !isRead && !isAway) return;
    end();
    if (changed >= 0) say(`Not sent: ${changes[changed] ?? 'what you wrote has changed'}.`);
    // React cannot render at once during an effect.
    else if (isRead) queueMicrotask(act);
    else lead(last);
  });

  const isWaiting = waiting !== undefined;
  useEffect(() => {
    if (!isWaiting) return;
    const drop = (why: string) => {
      latest.current = undefined;
      setWaiting(undefined);
      say(why);
    };
    const takeBack = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.stopPropagation();
      drop('Taken back.');
    };
    // Else it would send when the expert comes back, perhaps an hour later.
    const onVisibility = () => {
      if (document.visibilityState === 'hidden') drop('Not sent: the page was hidden.');
    };
    addEventListener('keydown', takeBack, true);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      removeEventListener('keydown', takeBack, true);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, [isWaiting]);

  const refCode = request?.refCode;
  useEffect(
    () => () => {
      if (latest.current) left.set(`Nothing was sent to ${refCode}: you left it within a second.`);
    },
    [refCode],
  );

  const hint = led && awayOf(now, led.last) !== undefined ? 'Read to the end first.' : said || saidBefore;
  return {
    hint: waiting ? `Sending in a moment.${canHover ? ' Escape takes it back.' : ''}` : hint,
    waiting: waiting?.name,
    saysOn: (name) => (waiting?.name === name ? 'Sending…' : dropped === name ? 'Press again' : undefined),
    isAway: (last) => awayOf(now, last) !== undefined,
    take(name, act, last) {
      forget();
      if (awayOf(state.get(), last) !== undefined) lead(last);
      else if (unreadOf(state.get(), last).length === 0) act();
      else setWaiting({ name, act, last, displayed });
    },
    onPress(name, isDropped) {
      if (isDropped) {
        setDropped(name);
        return say('Press again: this button has just appeared.');
      }
      end();
      forget();
    },
  };
}

/** One line above the buttons: about the last press, or else its children, so that a hint moves nothing. */
export function ReplyLine({ hint, children }: { hint: string; children?: ReactNode }) {
  return (
    <>
      <p role="status" className={hint ? styles.pressHint : 'visually-hidden'}>
        {hint}
      </p>
      {/* A line that appeared would move what is read, and then the press would not count. */}
      {!hint && (children ?? <p aria-hidden="true">&nbsp;</p>)}
    </>
  );
}
