//! The signals that scripts and scenarios may name. Main type: [`SignalName`].
//!
//! Only names that make sense in a scenario; real-time signals and numbers are left out.

use rustix::process::Signal;
use serde::{Deserialize, Serialize};

/// A signal by its name without `SIG`, as scripts, scenarios and the journal write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SignalName {
    /// Terminal hung up.
    Hup,
    /// Interrupt from the keyboard.
    Int,
    /// Quit from the keyboard.
    Quit,
    /// Illegal instruction.
    Ill,
    /// Abort.
    Abrt,
    /// Floating-point exception.
    Fpe,
    /// Bad memory access.
    Segv,
    /// Nobody reads the pipe.
    Pipe,
    /// Timer ran out.
    Alrm,
    /// Please end.
    Term,
    /// End at once; can be neither ignored nor handled.
    Kill,
    /// User-defined.
    Usr1,
    /// User-defined.
    Usr2,
    /// Continue when stopped.
    Cont,
    /// Stop; can be neither ignored nor handled.
    Stop,
    /// Stop from the keyboard.
    Tstp,
    /// Stopped for reading from the terminal.
    Ttin,
    /// Stopped for writing to the terminal.
    Ttou,
}

impl SignalName {
    /// Every name, for look-ups from numbers.
    pub const ALL: [Self; 18] = [
        Self::Hup,
        Self::Int,
        Self::Quit,
        Self::Ill,
        Self::Abrt,
        Self::Fpe,
        Self::Segv,
        Self::Pipe,
        Self::Alrm,
        Self::Term,
        Self::Kill,
        Self::Usr1,
        Self::Usr2,
        Self::Cont,
        Self::Stop,
        Self::Tstp,
        Self::Ttin,
        Self::Ttou,
    ];

    /// The platform's signal.
    pub fn signal(self) -> Signal {
        match self {
            Self::Hup => Signal::HUP,
            Self::Int => Signal::INT,
            Self::Quit => Signal::QUIT,
            Self::Ill => Signal::ILL,
            Self::Abrt => Signal::ABORT,
            Self::Fpe => Signal::FPE,
            Self::Segv => Signal::SEGV,
            Self::Pipe => Signal::PIPE,
            Self::Alrm => Signal::ALARM,
            Self::Term => Signal::TERM,
            Self::Kill => Signal::KILL,
            Self::Usr1 => Signal::USR1,
            Self::Usr2 => Signal::USR2,
            Self::Cont => Signal::CONT,
            Self::Stop => Signal::STOP,
            Self::Tstp => Signal::TSTP,
            Self::Ttin => Signal::TTIN,
            Self::Ttou => Signal::TTOU,
        }
    }

    /// The platform's number.
    pub fn number(self) -> i32 {
        self.signal().as_raw()
    }

    /// The name of a number, if it is one that scenarios may name.
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.number() == number)
    }
}
