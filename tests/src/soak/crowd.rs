//! The callers of all turns: they send each one to any process, and again to another one if that is killed.

use super::{Left, Size, random, until_kill};
use crate::{
    story::{self, TURNS},
    teller::{Program, Said, Teller},
};
use picoflow::BoxError;
use std::{
    collections::HashMap,
    fs, mem,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    time::Instant,
};

/// One turn in so many is sent to two processes at once, where there are two.
const RACE: usize = 8;

/// A turn that was sent.
struct Sent {
    turn: usize,
    began: Instant,
    /// The names of the processes that have not answered yet.
    at: Vec<usize>,
    text: Option<String>,
}

pub(super) struct Crowd<'a> {
    program: &'a Program,
    size: Size,
    /// The processes, by the names that they were started with.
    tellers: Vec<(usize, Teller)>,
    said: Sender<(usize, Said)>,
    heard: Receiver<(usize, Said)>,
    /// By the number of the session.
    sent: HashMap<usize, Sent>,
    /// The next session that begins.
    next: usize,
    left: Left,
}

impl<'a> Crowd<'a> {
    /// Starts the processes.
    pub(super) fn start(program: &'a Program, count: usize, size: Size) -> Result<Self, BoxError> {
        let (said, heard) = channel();
        let start = |name| Ok((name, Teller::start(program, name, said.clone())?));
        let tellers = (0..count).map(start).collect::<Result<_, BoxError>>()?;
        let left = Left { effects: Vec::new(), answers: Vec::new(), kills: 0, raced: 0 };
        Ok(Self { program, size, tellers, said, heard, sent: HashMap::new(), next: 0, left })
    }

    /// Tells the story to all sessions, and kills again and again.
    pub(super) fn run(mut self) -> Result<Left, BoxError> {
        for _ in 0..self.size.at_once {
            self.begin()?;
        }
        let mut kill_at = Instant::now() + until_kill(self.size, 0);
        while !self.sent.is_empty() {
            let wait = kill_at.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(wait) {
                Ok((name, said)) => self.hear(name, said)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err("nobody is there".into()),
            }
            let is_first = self.left.kills == 0 && !self.left.answers.is_empty();
            if is_first || Instant::now() >= kill_at {
                self.kill()?;
                kill_at = Instant::now() + until_kill(self.size, self.left.kills);
            }
        }
        for line in fs::read_to_string(&self.program.effects)?.lines() {
            let (key, effect) = line.split_once('\t').ok_or_else(|| format!("`{line}`?"))?;
            self.left.effects.push((key.to_owned(), effect.to_owned()));
        }
        Ok(self.left)
    }

    /// Begins the next session, if there is one.
    fn begin(&mut self) -> Result<(), BoxError> {
        let session = self.next;
        if session < self.size.sessions {
            self.next += 1;
            self.turn(session, 0)?;
        }
        Ok(())
    }

    /// Sends a turn for the first time.
    fn turn(&mut self, session: usize, turn: usize) -> Result<(), BoxError> {
        let sent = Sent { turn, began: Instant::now(), at: Vec::new(), text: None };
        self.sent.insert(session, sent);
        let first = random(self.tellers.len());
        self.send(session, first)?;
        if self.tellers.len() > 1 && random(RACE) == 0 {
            self.left.raced += 1;
            self.send(session, (first + 1) % self.tellers.len())?;
        }
        Ok(())
    }

    fn send(&mut self, session: usize, place: usize) -> Result<(), BoxError> {
        let (name, teller) = &mut self.tellers[place];
        if let Some(sent) = self.sent.get_mut(&session) {
            sent.at.push(*name);
            teller.tell(session, sent.turn)?;
        }
        Ok(())
    }

    fn hear(&mut self, name: usize, said: Said) -> Result<(), BoxError> {
        match said {
            Said::Told { session, turn, text, .. } => self.told(name, session, turn, text),
            Said::Gone if self.tellers.iter().any(|(it, _)| *it == name) => {
                Err("a process ended that was not killed".into())
            }
            Said::Gone => self.gone(name),
            Said::Failed(line) => Err(line.into()),
            Said::Here => Err("a fault that nobody asked for".into()),
        }
    }

    fn told(
        &mut self,
        name: usize,
        session: usize,
        turn: usize,
        text: String,
    ) -> Result<(), BoxError> {
        let id = story::session(session);
        let known = self.sent.get_mut(&session).filter(|sent| sent.turn == turn);
        let sent = known.ok_or_else(|| format!("{id}: a second reply to turn {turn}"))?;
        sent.at.retain(|at| *at != name);
        match &sent.text {
            None => {
                self.left.answers.push((id, sent.began.elapsed()));
                sent.text = Some(text);
            }
            Some(known) if *known == text => {}
            Some(known) => return Err(format!("{id}: both `{known}` and `{text}`").into()),
        }
        self.go_on(session)
    }

    /// Sends the session's next turn if nothing is under way any more, or the same one again if nobody has answered it.
    fn go_on(&mut self, session: usize) -> Result<(), BoxError> {
        // Only the last turn is known by its token: the next one waits for all replies to this one.
        let Some(sent) = self.sent.get(&session).filter(|sent| sent.at.is_empty()) else {
            return Ok(());
        };
        let turn = sent.turn;
        if sent.text.is_none() {
            // The newest process has taken the place of one that is gone: here is one that goes on at once.
            let names = self.tellers.iter().enumerate().map(|(place, (name, _))| (*name, place));
            let (_, oldest) = names.min().ok_or("no process")?;
            return self.send(session, oldest);
        }
        if turn + 1 < TURNS.len() {
            return self.turn(session, turn + 1);
        }
        self.sent.remove(&session);
        self.begin()
    }

    /// Kills any process, and starts another one in its place.
    fn kill(&mut self) -> Result<(), BoxError> {
        // So many have been started so far.
        let name = self.tellers.len() + self.left.kills;
        self.left.kills += 1;
        let teller = Teller::start(self.program, name, self.said.clone())?;
        let place = random(self.tellers.len());
        let (_, killed) = mem::replace(&mut self.tellers[place], (name, teller));
        killed.kill()?;
        Ok(())
    }

    /// Sends all turns that this process has not answered to another one.
    fn gone(&mut self, name: usize) -> Result<(), BoxError> {
        let mut lost = Vec::new();
        for (session, sent) in &mut self.sent {
            if sent.at.contains(&name) {
                sent.at.retain(|at| *at != name);
                lost.push(*session);
            }
        }
        lost.into_iter().try_for_each(|session| self.go_on(session))
    }
}
